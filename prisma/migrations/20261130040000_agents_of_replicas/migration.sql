-- Replicas read what others wrote of agents: by when it was written, on this database's clock.
ALTER TABLE "agent" ADD COLUMN "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
CREATE INDEX "agent_service_id_changed_at_idx" ON "agent" ("service_id", "changed_at");
