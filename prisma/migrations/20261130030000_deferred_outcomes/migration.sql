-- Work that was made durable elsewhere, or told to do its cheaper variant.
ALTER TABLE "outcome"
  ADD COLUMN "deferred" DOUBLE PRECISION,
  ADD COLUMN "degraded" DOUBLE PRECISION,
  ADD COLUMN "deferring_integral" DOUBLE PRECISION;
