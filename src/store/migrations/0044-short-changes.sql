-- The changes of a proposal without the examples that repeat, if there are any: a list of 400 changes is 0.3 MB then, in
-- place of 13 MB. The previous release changes a list only together with the round or the state, and leaves these columns
-- as they are, so they count only for the round and the state that they name.

alter table proposal add column short_changes json, add column short_changes_of text;
