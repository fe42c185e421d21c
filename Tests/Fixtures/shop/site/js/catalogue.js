import { loadProducts, picture, price } from "./shop.js";

const list = document.querySelector(".cards");
const status = document.querySelector(".status");
const buttons = document.querySelectorAll("[data-kind]");

function card(product) {
  const item = document.createElement("li");
  item.className = "card";
  const link = document.createElement("a");
  link.href = `product.html?id=${product.id}`;
  const image = new Image(480, 480);
  image.src = picture(product);
  image.alt = product.name;
  const text = document.createElement("div");
  const name = document.createElement("h2");
  name.textContent = product.name;
  const cost = document.createElement("p");
  cost.className = "price";
  cost.textContent = price(product.cents);
  text.append(name, cost);
  link.append(image, text);
  item.append(link);
  return item;
}

try {
  const products = await loadProducts();
  const show = kind => list.replaceChildren(...products.filter(p => !kind || p.kind === kind).map(card));
  for (const button of buttons) {
    button.addEventListener("click", () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      show(button.dataset.kind);
    });
  }
  show("");
  status.textContent = "";
} catch (error) {
  status.textContent = `The catalogue cannot be read: ${error.message}`;
}
