import { createContext } from 'preact';

/** Where a field's files belong. */
export interface Home {
  readonly use: 'campaign' | 'campaign-add-on' | 'add-on' | 'default';
  readonly slug?: string;
}

/** Where the files of the form belong. */
export const Files = createContext<Home>({ use: 'default' });
