-- Which assets' newest quality run failed, without a look at the newest run of every asset.

-- The version before goes on writing: a run that it commits after this one has looked, and before the
-- triggers are there, would be noted by neither.
lock table quality_run in share row exclusive mode;

create table newest_quality_run (
  asset_id uuid primary key references asset (id),
  run_id uuid not null,
  status text not null,
  occurred_at timestamptz not null
);
create index newest_quality_run_by_status on newest_quality_run (status, asset_id);

insert into newest_quality_run (asset_id, run_id, status, occurred_at)
select distinct on (asset_id) asset_id, id, status, occurred_at
from quality_run
order by asset_id, occurred_at desc, id desc;

-- Kept by the database, so that it is right while the version before still writes.
create function note_newest_quality_run() returns trigger language plpgsql as $$
begin
  -- In the order of assets: two that record runs of the same assets lock them in one order.
  insert into newest_quality_run (asset_id, run_id, status, occurred_at)
  select distinct on (asset_id) asset_id, id, status, occurred_at
  from written
  order by asset_id, occurred_at desc, id desc
  on conflict (asset_id) do update
  set run_id = excluded.run_id, status = excluded.status, occurred_at = excluded.occurred_at
  where (newest_quality_run.occurred_at, newest_quality_run.run_id)
    < (excluded.occurred_at, excluded.run_id);
  return null;
end
$$;
create trigger quality_run_is_noted after insert on quality_run
  referencing new table as written
  for each statement execute function note_newest_quality_run();

-- Where an asset goes on with what another was, its runs go along: all of them.
create function move_newest_quality_run() returns trigger language plpgsql as $$
begin
  delete from newest_quality_run where asset_id in (select asset_id from before_move);
  insert into newest_quality_run (asset_id, run_id, status, occurred_at)
  select distinct on (asset_id) asset_id, id, status, occurred_at
  from written
  order by asset_id, occurred_at desc, id desc
  on conflict (asset_id) do update
  set run_id = excluded.run_id, status = excluded.status, occurred_at = excluded.occurred_at
  where (newest_quality_run.occurred_at, newest_quality_run.run_id)
    < (excluded.occurred_at, excluded.run_id);
  return null;
end
$$;
create trigger quality_run_is_moved after update on quality_run
  referencing old table as before_move new table as written
  for each statement execute function move_newest_quality_run();
