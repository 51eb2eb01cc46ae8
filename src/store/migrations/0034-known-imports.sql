-- What is known of assets that were imported before. In a migration of its own, so that nobody waits
-- for the lock of the one before. Deleted assets are among them: a name may continue.

update asset set imported_as = json_strip_nulls(json_build_object(
  'dbt', case when metadata ->> 'build_node_id' is not null then
    json_build_object('of', left(metadata ->> 'build_node_id', 500)) end,
  'odcs', case when metadata ->> 'contract_id' is not null then
    json_build_object('of', left(metadata ->> 'contract_id', 500)) end,
  'graphql', case when resource_type = 'graphql_type' then json_build_object('of', '') end,
  'openapi', case when resource_type = 'endpoint' and metadata ->> 'method' is not null
      and metadata ->> 'path' is not null then
    json_build_object(
      'of', left(regexp_replace(lower(coalesce(metadata ->> 'api_title', '') collate "C"),
        '[^a-z0-9\u0080-\U0010ffff]+', '_', 'g'), 500),
      'thing', (metadata ->> 'method') || ' '
        || regexp_replace(metadata ->> 'path', '\{[^}]*\}', '{}', 'g'),
      'path', metadata ->> 'path') end))::jsonb
where metadata ->> 'build_node_id' is not null or metadata ->> 'contract_id' is not null
  or resource_type in ('graphql_type', 'endpoint');
