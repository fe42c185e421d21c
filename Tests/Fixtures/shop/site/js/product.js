import { loadProducts, picture, price } from "./shop.js";

const status = document.querySelector(".status");
const article = document.querySelector(".product");

try {
  const id = new URLSearchParams(location.search).get("id");
  const product = (await loadProducts()).find(p => p.id === id);
  if (!product) throw new Error("there is no such product");
  document.title = `${product.name} · Harbour Ceramics`;
  article.querySelector("h1").textContent = product.name;
  article.querySelector(".price").textContent = price(product.cents);
  article.querySelector(".text").textContent = product.text;
  article.querySelector(".picture").src = picture(product);
  article.hidden = false;
  status.textContent = "";
  let count = 0;
  article.querySelector(".buy").addEventListener("click", () => {
    count += 1;
    document.querySelector(".basket").textContent = `Basket (${count})`;
  });
} catch (error) {
  status.textContent = `The product cannot be shown: ${error.message}`;
}
