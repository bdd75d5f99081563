// Swagger UI on the document that stands beside the page.
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  defaultModelsExpandDepth: -1,
  tryItOutEnabled: false,
  validatorUrl: null,
});
