CREATE TABLE "installation" (
  "id" INTEGER NOT NULL DEFAULT 1,
  "database_id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "secret" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "installation_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "environment" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "name" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "environment_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "service" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "environment_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  "revision" INTEGER NOT NULL DEFAULT 0,
  "hash" TEXT,
  "policy_version" INTEGER NOT NULL DEFAULT 0,
  "quota_sequence" INTEGER NOT NULL DEFAULT 0,
  "published_at" TIMESTAMPTZ(3),
  "alert_share" DOUBLE PRECISION NOT NULL DEFAULT 0.1,
  "alert_for_seconds" INTEGER NOT NULL DEFAULT 60,
  "alert_version" INTEGER NOT NULL DEFAULT 1,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "service_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "effective_revision" (
  "service_id" UUID NOT NULL,
  "revision" INTEGER NOT NULL,
  "hash" TEXT NOT NULL,
  "policy_version" INTEGER NOT NULL,
  "effective" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "effective_revision_pkey" PRIMARY KEY ("service_id", "revision")
);

CREATE TABLE "policy_version" (
  "service_id" UUID NOT NULL,
  "version" INTEGER NOT NULL,
  "revision" INTEGER NOT NULL,
  "document" TEXT NOT NULL,
  "format" TEXT NOT NULL,
  "policy" TEXT NOT NULL,
  "author" TEXT NOT NULL,
  "reason" TEXT NOT NULL,
  "rolled_back_to" INTEGER,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "policy_version_pkey" PRIMARY KEY ("service_id", "version")
);

CREATE TABLE "policy_draft" (
  "service_id" UUID NOT NULL,
  "etag" TEXT NOT NULL,
  "document" TEXT NOT NULL,
  "format" TEXT NOT NULL,
  "based_on" INTEGER NOT NULL,
  "author" TEXT NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "policy_draft_pkey" PRIMARY KEY ("service_id")
);

CREATE TABLE "quota" (
  "service_id" UUID NOT NULL,
  "resource" TEXT NOT NULL,
  "tenant" TEXT NOT NULL,
  "rate" DOUBLE PRECISION,
  "burst" DOUBLE PRECISION,
  "concurrency" INTEGER,
  "weight" DOUBLE PRECISION NOT NULL DEFAULT 1,
  "version" INTEGER NOT NULL,
  "updated_by" TEXT NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "quota_pkey" PRIMARY KEY ("service_id", "resource", "tenant")
);

CREATE TABLE "agent_key" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "environment_id" UUID NOT NULL,
  "kind" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "services" TEXT[] NOT NULL,
  "prefix" TEXT NOT NULL,
  "hash" TEXT NOT NULL,
  "created_by" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "last_used_at" TIMESTAMPTZ(3),
  "revoked_at" TIMESTAMPTZ(3),
  CONSTRAINT "agent_key_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "agent" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "service_id" UUID NOT NULL,
  "instance" TEXT NOT NULL,
  "boot" TEXT NOT NULL,
  "zone" TEXT,
  "host" TEXT NOT NULL,
  "pid" INTEGER NOT NULL,
  "agent_version" TEXT NOT NULL,
  "mode_override" TEXT,
  "source" TEXT NOT NULL,
  "connected" BOOLEAN NOT NULL DEFAULT false,
  "replica" TEXT,
  "applied_database_id" UUID,
  "applied_revision" INTEGER,
  "applied_hash" TEXT,
  "receipt_revision" INTEGER,
  "receipt_status" TEXT,
  "refused" JSONB NOT NULL DEFAULT '[]',
  "report" JSONB,
  "first_heard_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "last_heard_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "ended_at" TIMESTAMPTZ(3),
  CONSTRAINT "agent_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "receipt" (
  "id" BIGSERIAL NOT NULL,
  "service_id" UUID NOT NULL,
  "instance" TEXT NOT NULL,
  "boot" TEXT NOT NULL,
  "database_id" UUID NOT NULL,
  "revision" INTEGER NOT NULL,
  "hash" TEXT NOT NULL,
  "status" TEXT NOT NULL,
  "refused" JSONB NOT NULL DEFAULT '[]',
  "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "receipt_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "audit" (
  "id" BIGSERIAL NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "actor" TEXT NOT NULL,
  "action" TEXT NOT NULL,
  "environment" TEXT,
  "service" TEXT,
  "target" TEXT,
  "detail" JSONB NOT NULL DEFAULT '{}',
  CONSTRAINT "audit_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "outbox" (
  "id" BIGSERIAL NOT NULL,
  "topic" TEXT NOT NULL,
  "payload" JSONB NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "sent_at" TIMESTAMPTZ(3),
  CONSTRAINT "outbox_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "alert" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "service_id" UUID NOT NULL,
  "rule" TEXT NOT NULL,
  "state" TEXT NOT NULL,
  "share" DOUBLE PRECISION NOT NULL,
  "peak_share" DOUBLE PRECISION NOT NULL,
  "threshold" DOUBLE PRECISION NOT NULL,
  "for_seconds" INTEGER NOT NULL,
  "raised_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "resolved_at" TIMESTAMPTZ(3),
  CONSTRAINT "alert_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "api_token" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "name" TEXT NOT NULL,
  "role" TEXT NOT NULL,
  "prefix" TEXT NOT NULL,
  "hash" TEXT NOT NULL,
  "created_by" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "expires_at" TIMESTAMPTZ(3),
  "last_used_at" TIMESTAMPTZ(3),
  "revoked_at" TIMESTAMPTZ(3),
  CONSTRAINT "api_token_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "setup_token" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "hash" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "used_at" TIMESTAMPTZ(3),
  CONSTRAINT "setup_token_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "operator" (
  "id" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "email" TEXT NOT NULL,
  "email_verified" BOOLEAN NOT NULL DEFAULT false,
  "image" TEXT,
  "role" TEXT NOT NULL DEFAULT 'viewer',
  "banned" BOOLEAN DEFAULT false,
  "ban_reason" TEXT,
  "ban_expires" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "operator_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "session" (
  "id" TEXT NOT NULL,
  "token" TEXT NOT NULL,
  "user_id" TEXT NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "ip_address" TEXT,
  "user_agent" TEXT,
  "impersonated_by" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "account" (
  "id" TEXT NOT NULL,
  "account_id" TEXT NOT NULL,
  "provider_id" TEXT NOT NULL,
  "user_id" TEXT NOT NULL,
  "access_token" TEXT,
  "refresh_token" TEXT,
  "id_token" TEXT,
  "access_token_expires_at" TIMESTAMPTZ(3),
  "refresh_token_expires_at" TIMESTAMPTZ(3),
  "scope" TEXT,
  "password" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "verification" (
  "id" TEXT NOT NULL,
  "identifier" TEXT NOT NULL,
  "value" TEXT NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "verification_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "rate_limit" (
  "id" TEXT NOT NULL,
  "key" TEXT NOT NULL,
  "count" INTEGER NOT NULL,
  "last_request" BIGINT NOT NULL,
  CONSTRAINT "rate_limit_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "environment_name_key" ON "environment" ("name");
CREATE UNIQUE INDEX "service_environment_id_name_key" ON "service" ("environment_id", "name");
CREATE UNIQUE INDEX "agent_key_hash_key" ON "agent_key" ("hash");
CREATE UNIQUE INDEX "agent_service_id_instance_key" ON "agent" ("service_id", "instance");
CREATE INDEX "agent_last_heard_at_idx" ON "agent" ("last_heard_at");
CREATE INDEX "receipt_service_id_id_idx" ON "receipt" ("service_id", "id");
CREATE INDEX "audit_at_idx" ON "audit" ("at");
CREATE INDEX "alert_service_id_raised_at_idx" ON "alert" ("service_id", "raised_at");
CREATE UNIQUE INDEX "api_token_hash_key" ON "api_token" ("hash");
CREATE UNIQUE INDEX "setup_token_hash_key" ON "setup_token" ("hash");
CREATE UNIQUE INDEX "operator_email_key" ON "operator" ("email");
CREATE UNIQUE INDEX "session_token_key" ON "session" ("token");
CREATE INDEX "session_user_id_idx" ON "session" ("user_id");
CREATE INDEX "account_user_id_idx" ON "account" ("user_id");
CREATE INDEX "verification_identifier_idx" ON "verification" ("identifier");
CREATE UNIQUE INDEX "rate_limit_key_key" ON "rate_limit" ("key");

ALTER TABLE "service" ADD CONSTRAINT "service_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment" ("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "effective_revision" ADD CONSTRAINT "effective_revision_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "service" ("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "policy_version" ADD CONSTRAINT "policy_version_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "service" ("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "policy_draft" ADD CONSTRAINT "policy_draft_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "service" ("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "quota" ADD CONSTRAINT "quota_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "service" ("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "agent_key" ADD CONSTRAINT "agent_key_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment" ("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "agent" ADD CONSTRAINT "agent_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "service" ("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "receipt" ADD CONSTRAINT "receipt_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "service" ("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "alert" ADD CONSTRAINT "alert_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "service" ("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "session" ADD CONSTRAINT "session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "operator" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "account" ADD CONSTRAINT "account_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "operator" ("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- One row only, and one open alert per service and rule.
ALTER TABLE "installation" ADD CONSTRAINT "installation_single" CHECK ("id" = 1);
CREATE UNIQUE INDEX "alert_firing_key" ON "alert" ("service_id", "rule") WHERE "state" = 'firing';
CREATE INDEX "outbox_unsent_idx" ON "outbox" ("id") WHERE "sent_at" IS NULL;
CREATE INDEX "audit_service_idx" ON "audit" ("environment", "service", "id");
