export const Overview = (_: { of: unknown }) => null;
