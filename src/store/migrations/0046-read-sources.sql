-- When the last complete reading of a source began whose registrations have all been handled: what another source
-- had lost by then, this one would have registered.
alter table controller_lease add column read_at timestamptz;

-- The assets (`production/shop.orders`) of its registrations that cannot register; `*` if that is not known.
alter table controller_lease add column unsettled text[] not null default '{}';
