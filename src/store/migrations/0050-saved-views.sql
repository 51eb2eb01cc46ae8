-- The views that a user saved on the page: an address for each name.
alter table app_user add column saved_views jsonb not null default '{}';
