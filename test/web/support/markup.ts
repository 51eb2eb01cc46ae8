// Text that would run in an attribute, in an element and in a script if it were taken for markup.

export function hostile(place: string): string {
  return `"><img src=x onerror="window.taken='${place}'"><script>window.taken='${place}'</script><b>${place}</b>`;
}
