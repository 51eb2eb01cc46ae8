-- What a consumer reads: as it was stated, as a schema, its digest, and whether the contract met it. Null: everything.

alter table registration add column need json;
