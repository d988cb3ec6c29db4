export default function AddOns() {
  return <h1>AddOns</h1>;
}
