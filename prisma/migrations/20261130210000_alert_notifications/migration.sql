-- Who is told of alerts, what is still to be told, and when nobody is.
CREATE TABLE "alert_receiver" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "environment_id" UUID NOT NULL,
  "version" INTEGER NOT NULL DEFAULT 1,
  "name" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "url" TEXT,
  "to_addresses" TEXT[] NOT NULL DEFAULT '{}',
  "secret" TEXT,
  "watchdog" BOOLEAN NOT NULL DEFAULT false,
  "services" TEXT[] NOT NULL DEFAULT '{}',
  "rules" TEXT[] NOT NULL DEFAULT '{}',
  "severities" TEXT[] NOT NULL DEFAULT '{}',
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "next_attempt_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "delivered_at" TIMESTAMPTZ(3),
  "failed_at" TIMESTAMPTZ(3),
  "error" TEXT,
  "dropped" INTEGER NOT NULL DEFAULT 0,
  "created_by" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "alert_receiver_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "alert_receiver_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "alert_receiver_environment_id_idx" ON "alert_receiver" ("environment_id");

CREATE TABLE "alert_delivery" (
  "receiver_id" UUID NOT NULL,
  "alert_id" UUID NOT NULL,
  "want" TEXT NOT NULL,
  "told" TEXT,
  "held" BOOLEAN NOT NULL DEFAULT false,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "alert_delivery_pkey" PRIMARY KEY ("receiver_id", "alert_id"),
  CONSTRAINT "alert_delivery_receiver_id_fkey" FOREIGN KEY ("receiver_id") REFERENCES "alert_receiver" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT "alert_delivery_alert_id_fkey" FOREIGN KEY ("alert_id") REFERENCES "alert" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "alert_delivery_alert_id_idx" ON "alert_delivery" ("alert_id");
CREATE INDEX "alert_delivery_waiting_idx" ON "alert_delivery" ("receiver_id", "created_at") WHERE "want" IS DISTINCT FROM "told";

CREATE TABLE "alert_silence" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "environment_id" UUID NOT NULL,
  "services" TEXT[] NOT NULL DEFAULT '{}',
  "rules" TEXT[] NOT NULL DEFAULT '{}',
  "severities" TEXT[] NOT NULL DEFAULT '{}',
  "starts_at" TIMESTAMPTZ(3) NOT NULL,
  "ends_at" TIMESTAMPTZ(3) NOT NULL,
  "author" TEXT NOT NULL,
  "reason" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "alert_silence_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "alert_silence_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "alert_silence_environment_id_ends_at_idx" ON "alert_silence" ("environment_id", "ends_at");

-- Whether lists of services, rules and severities mean an alert; an empty one is any.
CREATE FUNCTION "alert_meant"(services TEXT[], rules TEXT[], severities TEXT[], service TEXT, rule TEXT, severity TEXT) RETURNS BOOLEAN
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT (cardinality(services) = 0 OR service = ANY(services)) AND (cardinality(rules) = 0 OR rule = ANY(rules))
    AND (cardinality(severities) = 0 OR severity = ANY(severities)) $$;
