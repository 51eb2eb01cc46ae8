-- When the present round asked the consumers; null for the first one, which asked them when it was proposed. The previous
-- release leaves it as it is.

alter table proposal add column asked_at timestamptz;
