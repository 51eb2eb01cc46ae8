// Style sheets are imported for their effect; the build puts them into files of their own.
declare module '*.css';
