-- The audit only grows. The one exception: refusals of access, which anybody can cause, may be removed after 30 days.
CREATE FUNCTION audit_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.action LIKE 'refused.%' AND OLD.at < now() - interval '30 days' THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'the audit is append-only' USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON "audit" FOR EACH ROW EXECUTE FUNCTION audit_append_only();

CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON "audit" FOR EACH STATEMENT EXECUTE FUNCTION audit_append_only();

-- Columns that nothing writes: operators are removed, not banned, and nobody acts as somebody else.
ALTER TABLE "operator" DROP COLUMN "banned", DROP COLUMN "ban_reason", DROP COLUMN "ban_expires";

ALTER TABLE "session" DROP COLUMN "impersonated_by";
