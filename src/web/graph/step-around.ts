// The lines of a graph that begin or end at some of its teams. Pure.

interface TeamLine {
  readonly from_team_id: string;
  readonly to_team_id: string;
}

/** So many lines of one team fit into a column of the picture. */
const mostOnSide = 24;

/**
 * The first lines into and out of each of these teams, and how many of their lines are left out.
 *
 * @example stepAround(graph.lines, [ordersId]).lines.length // 12
 */
export function stepAround<L extends TeamLine>(
  lines: readonly L[],
  teamIds: readonly string[],
): { readonly lines: readonly L[]; readonly left: number } {
  const into = new Map(teamIds.map((id) => [id, 0]));
  const outOf = new Map(teamIds.map((id) => [id, 0]));
  const near = lines.filter(
    ({ from_team_id, to_team_id }) => outOf.has(from_team_id) || into.has(to_team_id),
  );
  const kept = near.filter(({ from_team_id, to_team_id }) => {
    const given = outOf.get(from_team_id) ?? mostOnSide;
    const used = into.get(to_team_id) ?? mostOnSide;
    if (given >= mostOnSide && used >= mostOnSide) return false;
    if (outOf.has(from_team_id)) outOf.set(from_team_id, given + 1);
    if (into.has(to_team_id)) into.set(to_team_id, used + 1);
    return true;
  });
  return { lines: kept, left: near.length - kept.length };
}
