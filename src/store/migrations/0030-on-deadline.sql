-- What happens when the last day for answers to a proposal is over.

alter table asset add column on_deadline text not null default 'nothing'
  check (on_deadline in ('nothing', 'remind', 'escalate'));
