// Text files that the bundler inlines as strings.
declare module '*.txt' {
  const text: string;
  export default text;
}
