-- How long the receiver that has failed the longest has failed, in one look.

create index delivery_failing on delivery (queued_at) where state = 'pending' and attempts > 0;
