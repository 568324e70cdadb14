import { type Locator, type Page, expect } from '@playwright/test';

import { violations } from './axe.ts';

/** More stops than any page has. */
const STOPS = 400;
const WIDTHS = [390, 834, 1440];
const NARROW = 320;

/** Somebody who works with the keyboard alone, in a browser with or without scripts. */
export class Keyboard {
  constructor(
    private readonly page: Page,
    private readonly scripts: boolean,
  ) {}

  /** Opens a path and waits until its scripts, if there are any, are awake. */
  async open(path: string): Promise<void> {
    // What the last key opened may still be on its way, and would take the place of this page.
    await this.page.waitForLoadState();
    await this.page.goto(path);
    await this.awake();
  }

  /** Scripts, if there are any, have taken over. */
  async awake(): Promise<void> {
    if (this.scripts) await this.page.locator('html[data-on]').waitFor({ state: 'attached' });
  }

  /** Presses Tab until something has the focus. */
  async reach(target: Locator): Promise<void> {
    await expect(target).toBeVisible();
    for (let stops = 0; stops < STOPS; stops += 1) {
      if (await has(target)) return;
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`no Tab leads to ${String(target)}`);
  }

  /** Goes to a link or button and presses Enter. */
  async press(target: Locator): Promise<void> {
    await this.reach(target);
    await this.page.keyboard.press('Enter');
  }

  /** Goes to a box and ticks or clears it. */
  async tick(target: Locator): Promise<void> {
    await this.reach(target);
    await this.page.keyboard.press('Space');
  }

  /** Goes to a field and types in place of what stands there. */
  async type(target: Locator, text: string): Promise<void> {
    await this.reach(target);
    await this.page.keyboard.press('ControlOrMeta+a');
    await this.page.keyboard.press('Delete');
    await this.page.keyboard.type(text);
    await expect(target).toHaveValue(text);
  }

  /** Goes to a list of choices and types the word of one. */
  async choose(target: Locator, word: string): Promise<void> {
    await this.reach(target);
    await this.page.keyboard.type(word);
    await expect(target.locator('option:checked')).toHaveText(word);
  }

  /** Opens the part of the page behind this word. */
  async unfold(word: string): Promise<void> {
    await this.press(this.page.locator('summary').filter({ hasText: word }));
  }

  /** Opens a menu and goes to one of its items. */
  async item(button: Locator, name: string): Promise<Locator> {
    await this.press(button);
    const item = this.page.getByRole('menuitem', { name }).filter({ visible: true });
    await expect(item).toBeVisible();
    for (let stops = 0; stops < 20 && !(await has(item)); stops += 1) {
      // Scripts bring the arrows; without them the items are ordinary stops.
      await this.page.keyboard.press(this.scripts ? 'ArrowDown' : 'Tab');
    }
    await expect(item).toBeFocused();
    return item;
  }

  /** No breach of WCAG 2.2 AA on the page as it stands, in both themes at all widths; and it never scrolls sideways. */
  async sound(): Promise<void> {
    const size = this.page.viewportSize();
    const on = this.page.locator('html[data-on]');
    await expect(on).toHaveCount(this.scripts ? 1 : 0);
    const off = this.scripts ? undefined : await this.wake();
    for (const colorScheme of ['light', 'dark'] as const) {
      await this.page.emulateMedia({ colorScheme });
      for (const width of WIDTHS) {
        await this.page.setViewportSize({ width, height: 900 });
        expect.soft(await violations(this.page), `${colorScheme} at ${width}`).toEqual([]);
      }
    }
    await this.page.emulateMedia({ colorScheme: null });
    await this.page.setViewportSize({ width: NARROW, height: 900 });
    expect.soft(await overflow(this.page), `wider than ${NARROW}`).toBeLessThanOrEqual(0);
    if (size) await this.page.setViewportSize(size);
    await off?.();
    await expect(on).toHaveCount(this.scripts ? 1 : 0);
  }

  /**
   * Lets scripts of the test, not those of the page, run for a while.
   *
   * Those of the page were not loaded and stay so.
   */
  private async wake(): Promise<() => Promise<void>> {
    const session = await this.page.context().newCDPSession(this.page);
    const disabled = (value: boolean) => session.send('Emulation.setScriptExecutionDisabled', { value });
    await disabled(true);
    await disabled(false);
    return async () => {
      await disabled(true);
    };
  }
}

/** By how much a page is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

function has(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === document.activeElement);
}
