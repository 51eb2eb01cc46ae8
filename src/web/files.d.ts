// Style sheets are imported for their effect; the build writes them to separate files.
declare module '*.css';
