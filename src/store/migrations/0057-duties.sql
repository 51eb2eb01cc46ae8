-- Rights of an administrator that keys and people get one by one.

alter table app_user add column duties text[] not null default '{}';

alter table api_key drop constraint api_key_scopes_check;
alter table api_key add constraint api_key_scopes_check check (scopes <@ array[
  'read', 'acknowledge', 'write', 'force', 'manage_people', 'read_audit', 'scim', 'admin'
]);
