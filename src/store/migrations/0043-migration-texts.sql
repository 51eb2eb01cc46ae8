-- What the producer tells the consumers that a proposal asks, besides 0027: how to move to the new version, and
-- the last day on which the old one is served.

alter table proposal add column migration text, add column migrate_by date;
