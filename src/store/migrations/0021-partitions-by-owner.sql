-- The role of the service owns nothing and creates nothing, but the partitions of the next months: this
-- function creates them as its owner, and nothing else.

do $$
begin
  execute format(
    'alter function make_audit_partitions() security definer set search_path = %I, pg_temp',
    current_schema());
end $$;
revoke execute on function make_audit_partitions() from public;
