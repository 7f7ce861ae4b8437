-- Identity of every window of figures that was taken, so that a repeat is dropped. Kept for half an hour.
CREATE TABLE "outcome_window" (
  "id" UUID NOT NULL,
  "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  CONSTRAINT "outcome_window_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "outcome_window_received_at_idx" ON "outcome_window" ("received_at");

-- Sum of two histograms, bucket by bucket; NULL is an empty one.
CREATE FUNCTION "outcome_add"(a DOUBLE PRECISION[], b DOUBLE PRECISION[]) RETURNS DOUBLE PRECISION[]
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT CASE WHEN a IS NULL THEN b WHEN b IS NULL THEN a
    ELSE ARRAY(SELECT coalesce(x, 0) + coalesce(y, 0) FROM unnest(a, b) WITH ORDINALITY AS t(x, y, i) ORDER BY i) END $$;
CREATE AGGREGATE "outcome_sum"(DOUBLE PRECISION[]) (SFUNC = "outcome_add", STYPE = DOUBLE PRECISION[], PARALLEL = SAFE);

-- Roll-ups in buckets of 1, 10 and 60 seconds. "second": start of the bucket since the epoch. NULL is nothing counted.
-- The partitions by time are made ahead and dropped by age while the control plane runs.
CREATE TABLE "outcome" (
  "step" SMALLINT NOT NULL,
  "second" BIGINT NOT NULL,
  "environment" TEXT NOT NULL,
  "service" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "cut" TEXT NOT NULL,
  "label" TEXT NOT NULL,
  "edge" BOOLEAN NOT NULL,
  "offered" DOUBLE PRECISION,
  "accepted" DOUBLE PRECISION,
  "shed" DOUBLE PRECISION,
  "expired" DOUBLE PRECISION,
  "cancelled_waiting" DOUBLE PRECISION,
  "completed" DOUBLE PRECISION,
  "late" DOUBLE PRECISION,
  "failed" DOUBLE PRECISION,
  "cancelled" DOUBLE PRECISION,
  "abandoned" DOUBLE PRECISION,
  "ignored" DOUBLE PRECISION,
  "would_shed" DOUBLE PRECISION,
  "calls" DOUBLE PRECISION,
  "attempts" DOUBLE PRECISION,
  "retries" DOUBLE PRECISION,
  "budget_exhausted" DOUBLE PRECISION,
  "fallbacks" DOUBLE PRECISION,
  "limit_integral" DOUBLE PRECISION,
  "active_integral" DOUBLE PRECISION,
  "zombies_integral" DOUBLE PRECISION,
  "waiting_integral" DOUBLE PRECISION,
  "in_flight_integral" DOUBLE PRECISION,
  "ceiling_integral" DOUBLE PRECISION,
  "breakers_open_integral" DOUBLE PRECISION,
  "budget_left_integral" DOUBLE PRECISION,
  "gauge_seconds" DOUBLE PRECISION,
  "wait_sum" DOUBLE PRECISION,
  "duration_sum" DOUBLE PRECISION,
  "skewed" DOUBLE PRECISION,
  "oldest_age_ms" DOUBLE PRECISION,
  "level" DOUBLE PRECISION,
  "wait_counts" DOUBLE PRECISION[],
  "duration_counts" DOUBLE PRECISION[],
  CONSTRAINT "outcome_pkey" PRIMARY KEY ("environment", "cut", "kind", "service", "second", "name", "label", "step")
) PARTITION BY LIST ("step");
CREATE TABLE "outcome_1s" PARTITION OF "outcome" FOR VALUES IN (1) PARTITION BY RANGE ("second");
CREATE TABLE "outcome_10s" PARTITION OF "outcome" FOR VALUES IN (10) PARTITION BY RANGE ("second");
CREATE TABLE "outcome_60s" PARTITION OF "outcome" FOR VALUES IN (60) PARTITION BY RANGE ("second");
