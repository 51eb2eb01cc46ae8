-- Lists of proposals by the last day for answers; those without one come last.

create index proposal_by_last_day on proposal ((coalesce(answer_by, 'infinity'::date)), id);
create index proposal_by_status_last_day on proposal (status, (coalesce(answer_by, 'infinity'::date)), id);
