/** Words for hosts alone, in English. */

const LIST = new Intl.ListFormat("en");

export const en = {
  neighbours: (here: readonly string[], gone: readonly string[]) =>
    gone.length > 0
      ? `${LIST.format(gone)} played from the same place as ${LIST.format(here)}, and left.`
      : `${LIST.format(here)} play from the same place.`,
};
