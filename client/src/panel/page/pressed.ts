/**
 * While a control is pressed the page stays as it is: were it drawn anew before the button is let go, what was pressed would be gone, and
 * the click with it.
 */

/** Controls whose click comes when they are let go. Of a list's drop-down nobody hears when that is. */
const clicked = "button, a, label, summary, input[type=checkbox], input[type=radio]";

/**
 * @param take what to do with a message
 * @returns takes messages: at once, or where something is pressed once it is let go, in their order
 */
export function whenReleased<Message>(page: Window, take: (message: Message) => void): (message: Message) => void {
  let isPressed = false;
  let waiting: Message[] = [];
  const press = ({ target }: Event): void => {
    isPressed ||= target instanceof Element && target.closest(clicked) !== null;
  };
  const release = (): void => {
    if (!isPressed) return;
    isPressed = false;
    // The click comes behind this event.
    setTimeout(() => {
      const due = waiting;
      waiting = [];
      for (const message of due) take(message);
    });
  };
  page.addEventListener("pointerdown", press, true);
  page.addEventListener("keydown", (event) => event.key === " " && press(event), true);
  for (const event of ["pointerup", "pointercancel", "keyup"]) page.addEventListener(event, release, true);
  // Of the page, not of what had the focus before.
  page.addEventListener("blur", release);
  // Let go where this page does not hear of it.
  page.addEventListener("pointermove", ({ buttons, pointerType }) => pointerType === "mouse" && buttons === 0 && release(), true);
  return (message) => {
    if (isPressed || waiting.length > 0) waiting.push(message);
    else take(message);
  };
}
