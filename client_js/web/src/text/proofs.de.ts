/** Was über ein Tagesblatt bekannt ist, auf Deutsch. */

import type { ProofWords } from "./proofs.ts";

export const de: ProofWords = {
  canBeWon: "Dieses Blatt ist zu gewinnen.",
  par: (par) => `Par: ${par} zu Hause. Mehr bringt niemand heim.`,
  unsolved: "Dieses Blatt wurde vorab nicht gelöst: Ob es zu gewinnen ist, weiß niemand.",
  noPar: "Dieses Blatt wurde vorab nicht gelöst: Sein Par kennt niemand.",
  noneSolved:
    "Diese Blätter wurden vorab nicht gelöst: Wie weit man bei jedem kommen kann, weiß niemand.",
  toBeat: (home) => `Zu schlagen ist die Partie mit ${home} zu Hause.`,
  first: "Noch ist niemand fertig: Die erste Partie legt vor.",
  yours: "Weiter kam bisher niemand.",
  later: "Ist der Tag geschlossen, kann dein Browser versuchen, es auszurechnen.",
};
