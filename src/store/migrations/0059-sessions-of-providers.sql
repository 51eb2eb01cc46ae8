-- What the provider calls the session that a session here came from, so that it ends with it; null if the provider does not say.

alter table session add column provider_session text;
create index session_of_provider on session (provider, provider_session) where provider_session is not null;
