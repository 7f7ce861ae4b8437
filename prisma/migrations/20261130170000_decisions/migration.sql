-- Sampled refusals with everything that decided them, for a day. "second" is that of "at": partitions are made ahead and dropped by age.
CREATE TABLE "decision" (
  "second" BIGINT NOT NULL,
  "id" TEXT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "environment" TEXT NOT NULL,
  "service" TEXT NOT NULL,
  "instance" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "outcome" TEXT NOT NULL,
  "reason" TEXT NOT NULL,
  "signal" TEXT,
  "retry_after_ms" DOUBLE PRECISION,
  "revision" INTEGER,
  "class" TEXT,
  "tenant" TEXT,
  "route" TEXT,
  "waited_ms" DOUBLE PRECISION NOT NULL,
  "stands_for" DOUBLE PRECISION NOT NULL,
  "trace_id" TEXT NOT NULL,
  "inputs" JSONB NOT NULL,
  CONSTRAINT "decision_pkey" PRIMARY KEY ("environment", "second", "at", "id")
) PARTITION BY RANGE ("second");
CREATE INDEX "decision_service_idx" ON "decision" ("environment", "service", "second", "at", "id");
