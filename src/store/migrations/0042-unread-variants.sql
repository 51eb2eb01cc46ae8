-- Whether a contract is of a release that did not read the variants of OpenAPI. The first version after it may
-- say them without asking consumers; docs/decisions/openapi.md tells why.

alter table contract add column has_unread_variants boolean not null default true;
alter table contract alter column has_unread_variants set default false;
