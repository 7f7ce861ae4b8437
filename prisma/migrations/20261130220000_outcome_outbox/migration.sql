-- Figures on their way to a metrics engine: written with the identities of their windows, gone when the engine has them.
CREATE TABLE "outcome_outbox" (
  "id" BIGINT GENERATED ALWAYS AS IDENTITY,
  "windows" UUID[] NOT NULL,
  "body" BYTEA NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  CONSTRAINT "outcome_outbox_pkey" PRIMARY KEY ("id")
);
