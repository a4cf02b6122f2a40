/** The offer of sound, in English. */

export const en = {
  soundOn: "Sound on?",
  soundOff: "No sound",
};
