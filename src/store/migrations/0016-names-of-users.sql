-- Everybody may read a name, and only administrators an address: what was given as a name where there was none.

update app_user set name = split_part(email, '@', 1) where name = email;
