-- Rules as documents of an environment, alerts about a gate or dependency, and one replica that judges.
ALTER TABLE "alert"
  ADD COLUMN "subject" TEXT NOT NULL DEFAULT '',
  ADD COLUMN "severity" TEXT NOT NULL DEFAULT 'ticket',
  ADD COLUMN "summary" TEXT NOT NULL DEFAULT '',
  ADD COLUMN "figures" JSONB NOT NULL DEFAULT '{}';
DROP INDEX "alert_firing_key";
CREATE UNIQUE INDEX "alert_firing_key" ON "alert" ("service_id", "rule", "subject") WHERE "state" = 'firing';

CREATE TABLE "alert_rules" (
  "environment_id" UUID NOT NULL,
  "version" INTEGER NOT NULL,
  "document" JSONB NOT NULL,
  "author" TEXT NOT NULL,
  "reason" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "alert_rules_pkey" PRIMARY KEY ("environment_id", "version"),
  CONSTRAINT "alert_rules_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE TABLE "alert_leader" (
  "id" INTEGER NOT NULL DEFAULT 1,
  "holder" TEXT NOT NULL DEFAULT '',
  "token" BIGINT NOT NULL DEFAULT 0,
  "expires_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "alert_leader_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "alert_leader_single" CHECK ("id" = 1)
);
INSERT INTO "alert_leader" DEFAULT VALUES;

-- What services had set until now. Their columns are dropped once no older control plane runs.
INSERT INTO "alert_rules" ("environment_id", "version", "document", "author", "reason")
SELECT "environment_id", 1,
  jsonb_build_object('services', jsonb_object_agg("name", jsonb_build_object('sustained-shedding',
    jsonb_build_object('share', "alert_share", 'forSeconds', least("alert_for_seconds", 1800))))),
  'weir', 'Carried over from the services'
FROM "service" WHERE "alert_share" <> 0.1 OR "alert_for_seconds" <> 60 GROUP BY "environment_id";
