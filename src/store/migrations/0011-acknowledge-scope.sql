-- To acknowledge is a right of its own, which a key may name. Keys that were issued before keep what
-- they had for one team; those of several or all teams answer no more until they are issued anew.

alter table api_key drop constraint api_key_scopes_check;
alter table api_key add constraint api_key_scopes_check
  check (scopes <@ array['read', 'acknowledge', 'write', 'admin']);
