-- The URL and the secret of a webhook, encrypted with SECRET_KEY, with the id of the key in front.
-- A row whose secret is not empty is plain: replicas without a key write such rows.

alter table webhook add column encrypted text;
