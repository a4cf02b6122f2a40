/** Synthesized sounds: noise for cards, a few sine waves for everything else. */

interface Tone {
  /** Hertz. */
  readonly pitch: number;
  /** Seconds. */
  readonly lasts: number;
  readonly loud: number;
  /** The delay in seconds after the first tone. */
  readonly after?: number;
  readonly wave?: OscillatorType;
}

const LOUDNESS = 0.5;
const BASE = 392;
/** A fifth, and a whole tone, as factors of a pitch. */
const FIFTH = 1.5;
const STEP = 1.1225;
/** The highest step, in whole tones, for successive cards going home. */
const HIGHEST = 9;
/** Milliseconds within which cards going home count as successive. */
const IN_A_ROW = 2_500;

/** Plays the sounds. The first call must not precede the user gesture that permits sound. */
export class Synthesizer {
  readonly #context = new AudioContext();
  readonly #noise = noiseOf(this.#context);
  #row = { count: 0, last: 0 };

  deal(count = 1): void {
    for (let nth = 0; nth < Math.min(count, 10); nth++) this.#snap(0.03, 2_600, 0.5, nth * 0.035);
  }

  /** Cards are put down. */
  place(): void {
    this.#snap(0.025, 1_700, 0.5);
    this.#tones({ pitch: 180, lasts: 0.07, loud: 0.35 });
  }

  /** A card goes home; successive ones sound higher. */
  home(): void {
    const now = performance.now();
    const { count, last } = this.#row;
    const nth = now - last < IN_A_ROW ? Math.min(HIGHEST, count + 1) : 0;
    this.#row = { count: nth, last: now };
    const pitch = BASE * STEP ** nth;
    this.#snap(0.02, 2_200, 0.3);
    this.#tones(
      { pitch, lasts: 0.14, loud: 0.16 },
      { pitch: pitch * FIFTH, lasts: 0.22, loud: 0.14, after: 0.07 },
    );
  }

  refuse(): void {
    this.#tones({ pitch: 110, lasts: 0.11, loud: 0.4, wave: "triangle" });
  }

  /** A second of the countdown; the last one is higher. */
  tick(last: boolean): void {
    this.#tones({ pitch: last ? BASE * 2 : BASE, lasts: 0.1, loud: 0.16 });
  }

  arrival(): void {
    this.#tones(
      { pitch: BASE * FIFTH, lasts: 0.18, loud: 0.14 },
      { pitch: BASE * 2, lasts: 0.3, loud: 0.14, after: 0.11 },
    );
  }

  race(): void {
    const call = [1, 1.25, 1.5, 2];
    this.#tones(
      ...call.map((part, nth) => ({
        ...{ pitch: BASE * part, lasts: nth === 3 ? 0.9 : 0.25, loud: 0.14, after: nth * 0.13 },
      })),
      { pitch: BASE * 2.5, lasts: 0.9, loud: 0.1, after: 0.39 },
    );
  }

  win(): void {
    const chord = [1, 1.25, 1.5, 2, 2.5, 3];
    this.#tones(
      ...chord.map((part, nth) => ({
        ...{ pitch: BASE * part, lasts: 0.9, loud: 0.13, after: nth * 0.11 },
      })),
      ...[1, 1.25, 1.5, 2].map((part) => ({
        ...{ pitch: BASE * part, lasts: 1.6, loud: 0.1, after: 0.75 },
      })),
    );
  }

  /** The context; browsers suspend it until the first user gesture. */
  #ready(): AudioContext {
    if (this.#context.state === "suspended") void this.#context.resume();
    return this.#context;
  }

  #tones(...tones: readonly Tone[]): void {
    const context = this.#ready();
    for (const { pitch, lasts, loud, after = 0, wave = "sine" } of tones) {
      const begins = context.currentTime + after;
      const source = new OscillatorNode(context, { frequency: pitch, type: wave });
      source.connect(this.#fading(context, begins, lasts, loud));
      source.start(begins);
      source.stop(begins + lasts);
    }
  }

  /** A card's snap: a short noise around a pitch. */
  #snap(lasts: number, pitch: number, loud: number, after = 0): void {
    const context = this.#ready();
    const begins = context.currentTime + after;
    const source = new AudioBufferSourceNode(context, { buffer: this.#noise });
    const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: pitch, Q: 0.8 });
    source.connect(filter).connect(this.#fading(context, begins, lasts, loud));
    source.start(begins, Math.random() * 0.5, lasts);
  }

  #fading(context: AudioContext, begins: number, lasts: number, loud: number): GainNode {
    const gain = new GainNode(context, { gain: 0 });
    gain.gain.setValueAtTime(0, begins);
    gain.gain.linearRampToValueAtTime(loud * LOUDNESS, begins + 0.005);
    gain.gain.exponentialRampToValueAtTime(0.0001, begins + lasts);
    gain.connect(context.destination);
    return gain;
  }
}

/** A second of white noise. */
function noiseOf(context: AudioContext): AudioBuffer {
  const buffer = context.createBuffer(1, context.sampleRate, context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let at = 0; at < samples.length; at++) samples[at] = Math.random() * 2 - 1;
  return buffer;
}
