-- For which team an import made an asset. What vanished from a file is only what that team's imports
-- brought. Of assets made before, and by hand, it is the team that owns them.

alter table asset add column imported_for uuid references team (id);
