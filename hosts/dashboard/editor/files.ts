import { createContext } from 'preact';

/** Where a field's files belong. */
export interface Home {
  readonly use: 'campaign' | 'campaign-add-on' | 'add-on' | 'default';
  readonly slug?: string;
  /** There is a repository that takes files. */
  readonly open: boolean;
}

/** Where the files of the form belong. */
export const Files = createContext<Home>({ use: 'default', open: false });
