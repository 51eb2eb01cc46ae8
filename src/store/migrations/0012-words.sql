-- Every word is found as it was written. The parser of prose took some for numbers, versions and
-- addresses: of 474e39c9 it kept a number and a rest. What is stored are words with spaces between.

alter table asset drop column search;
alter table asset add column search tsvector not null generated always as
  (array_to_tsvector(array_remove(string_to_array(search_text, ' '), ''))) stored;
create index asset_by_word on asset using gin (search);
