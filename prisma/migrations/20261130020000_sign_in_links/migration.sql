-- One link an operator: a newer one replaces it, and it goes with the operator.
CREATE TABLE "sign_in_link" (
  "operator_id" TEXT NOT NULL,
  "hash" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "used_at" TIMESTAMPTZ(3),
  CONSTRAINT "sign_in_link_pkey" PRIMARY KEY ("operator_id")
);

CREATE UNIQUE INDEX "sign_in_link_hash_key" ON "sign_in_link" ("hash");

ALTER TABLE "sign_in_link" ADD CONSTRAINT "sign_in_link_operator_id_fkey" FOREIGN KEY ("operator_id") REFERENCES "operator" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
