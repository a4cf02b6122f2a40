/** Pointer events on the board: turns them into input events, and moves the dragged cards. */

import type { Ruleset } from "../../../src/rules/ruleset.ts";
import type { Place } from "./choices.ts";
import type { InputEvent, InputState } from "./input.ts";
import { pilesUnder } from "./layout.ts";
import type { BoardLayout, Box, Point } from "./places/boxes.ts";

export interface PointedAt {
  readonly element: HTMLElement;
  readonly ruleset: Ruleset;
  readonly layout: BoardLayout;
  readonly input: InputState;
  /** Whether the player may move. */
  readonly live: boolean;
}

/** The tilt of held cards in degrees, per pixel of movement, and the maximum. */
const TILT = { each: 0.5, most: 4 };

export class Pointers {
  /** The offset of the held cards from their place, in pixels; retained after their release. */
  offset: Point = { x: 0, y: 0 };
  readonly #board: () => PointedAt;
  readonly #send: (event: InputEvent) => void;

  /** `board` returns the board's current state; `send` handles an input event. */
  constructor(board: () => PointedAt, send: (event: InputEvent) => void) {
    this.#board = board;
    this.#send = send;
  }

  readonly down = (event: PointerEvent): void => {
    const { element, live } = this.#board();
    if (event.button !== 0 || !live) return;
    const place = this.#placeOf(event.target);
    if (place === undefined) return this.#send({ type: "escape" });
    element.setPointerCapture(event.pointerId);
    this.#follow({ x: 0, y: 0 });
    this.#send({ type: "press", pointer: event.pointerId, at: pointOf(event), place });
  };

  readonly move = (event: PointerEvent): void => {
    const { press } = this.#board().input;
    if (press?.pointer !== event.pointerId) return;
    const at = pointOf(event);
    this.#send({ type: "move", pointer: event.pointerId, at });
    if (!this.#board().input.press?.dragging) return;
    const offset = { x: at.x - press.from.x, y: at.y - press.from.y };
    this.#follow(offset, offset.x - this.offset.x);
  };

  readonly up = (event: PointerEvent): void => {
    this.#send({
      type: "release",
      pointer: event.pointerId,
      at: pointOf(event),
      over: this.#pilesBeneath(),
      inside: this.#isInside(pointOf(event)),
      time: event.timeStamp,
    });
  };

  /**
   * Keep the browser from taking a fast drag for a fling: it would use the next tap, even one on a
   * button, to stop it. The listener must not be passive.
   */
  readonly touch = (event: Event): void => {
    if (event.cancelable && this.#board().input.press?.dragging) event.preventDefault();
  };

  readonly cancel = (event: PointerEvent): void => {
    this.#send({ type: "cancel", pointer: event.pointerId });
  };

  /** A right click sends a card home. */
  readonly menu = (event: MouseEvent): void => {
    const place = this.#placeOf(event.target);
    if (place === undefined) return;
    event.preventDefault();
    const { live, input } = this.#board();
    if (live && input.press === null) this.#send({ type: "home", place });
  };

  /** Move the held cards, by CSS variables only, because this runs in every frame. */
  #follow(to: Point, speed = 0): void {
    this.offset = to;
    const { style } = this.#board().element;
    const tilt = Math.max(-TILT.most, Math.min(TILT.most, speed * TILT.each));
    style.setProperty("--dx", `${to.x}px`);
    style.setProperty("--dy", `${to.y}px`);
    style.setProperty("--tilt", `${tilt}deg`);
  }

  #placeOf(target: EventTarget | null): Place | undefined {
    const element = target instanceof Element ? target.closest<HTMLElement>("[data-pile]") : null;
    const { pile = "", index = "0" } = element?.dataset ?? {};
    const number = this.#board().ruleset.pileNumbers.get(pile);
    return number === undefined ? undefined : { pile: number, index: Number(index) };
  }

  #boxOf({ pile, index }: Place): Box | undefined {
    const found = this.#board().layout.piles[pile];
    return found && { ...found.place, ...found.cards[index] };
  }

  #pilesBeneath(): number[] {
    const { input, layout } = this.#board();
    const box = input.press?.dragging && this.#boxOf(input.press.place);
    if (!box) return [];
    const { x, y } = this.offset;
    const under = pilesUnder(layout, { ...box, x: box.x + x, y: box.y + y });
    return under.filter((pile) => pile !== input.press?.place.pile);
  }

  /** Whether a point is still on the pressed element. */
  #isInside({ x, y }: Point): boolean {
    const { element, input } = this.#board();
    const box = input.press && this.#boxOf(input.press.place);
    if (!box) return false;
    const { left, top } = element.getBoundingClientRect();
    const [across, down] = [x - left - box.x, y - top - box.y];
    return across >= 0 && down >= 0 && across <= box.width && down <= box.height;
  }
}

function pointOf(event: PointerEvent): Point {
  return { x: event.clientX, y: event.clientY };
}
