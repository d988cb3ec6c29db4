// Files of text that the bundle takes in as they are.
declare module '*.txt' {
  const text: string;
  export default text;
}
