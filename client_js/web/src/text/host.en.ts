/** Words for hosts alone, in English. */

const LIST = new Intl.ListFormat("en");

export const en = {
  neighbours: (here: readonly string[], gone: readonly string[]) =>
    gone.length > 0
      ? `${LIST.format(gone)}, who left, shared an internet connection with ${LIST.format(here)}.`
      : `${LIST.format(here)} share an internet connection.`,
};
