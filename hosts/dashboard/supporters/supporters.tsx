export default function Supporters() {
  return <h1>Supporters</h1>;
}
