import { type Headway, games } from "@samedeal/client";

/** Return what races of a game count besides cards home. */
export function headwayOf(game: string): Headway {
  return games.find(({ id }) => id === game)?.listing.headway ?? "none";
}
