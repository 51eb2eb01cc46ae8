-- Which consumers a change of the asset's contract asks: narrow, protect or ignore.

alter table asset add column needs_mode text not null default 'narrow'
  check (needs_mode in ('narrow', 'protect', 'ignore'));
