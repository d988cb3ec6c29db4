export const Create = () => null;
