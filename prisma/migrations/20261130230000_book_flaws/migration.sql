-- Gates of instances whose books did not add up in some window, whichever replica found it.
CREATE TABLE "book_flaw" (
  "service_id" UUID NOT NULL,
  "instance" TEXT NOT NULL,
  "gate" TEXT NOT NULL,
  "book" TEXT NOT NULL,
  "expected" DOUBLE PRECISION NOT NULL,
  "told" DOUBLE PRECISION NOT NULL,
  "windows" INTEGER NOT NULL,
  "first_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "last_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "book_flaw_pkey" PRIMARY KEY ("service_id", "instance", "gate", "book"),
  CONSTRAINT "book_flaw_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "service" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
